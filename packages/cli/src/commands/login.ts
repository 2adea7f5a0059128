import { hostname } from 'node:os';
import type { SecondFactorAnswer, SignedIn } from '@arbiter/contract';
import { isNetworkFailure, overHttp, reasonOf } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { connectionOf, secretOf, urlOf, writeConfigFile } from '../settings.ts';

export const login: Command = {
  name: 'login',
  summary: 'sign in and save an API key for later commands',
  help: `Sign in and save the server URL and an API key to ~/.config/arbiter/config.json, readable only by you.

Usage: arbiter login [--email <address>] [--code <code>] [--tenant <id>] [--url <url>]
       arbiter login --api-key <key> [--url <url>]

  --email <address>   sign in with a password and create a key for this machine (admins only); prompts for the
                      password, or reads it from ARBITER_PASSWORD or ARBITER_PASSWORD_FILE
  --code <code>       code of the second factor; prompts when one is needed
  --api-key <key>     save this key after checking it with the server

${connectionHelp.replace(/\n {2}--api-key.*/, '')}`,
  options: { ...connectionOptions, email: { type: 'string' }, code: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    return call.flags.text('api-key') === undefined ? byPassword(call) : byKey(call);
  },
};

async function byKey(call: Call): Promise<number> {
  const apiKey = call.flags.text('api-key') ?? '';
  return overHttp(
    call,
    (client) => client.auth.session({ headers: { Authorization: `Bearer ${connectionOf(call).apiKey}` } }),
    {
      report({ principal, tenant }) {
        if (principal === undefined) return call.warn('arbiter: invalid API key');
        writeConfigFile(call.environment, { url: urlOf(call), apiKey, tenantId: tenant?.id });
        call.print(`Signed in to ${tenant?.name} as ${principal.name}`);
      },
      codeOf: ({ authenticated }) => (authenticated ? exitCodes.ok : exitCodes.refused),
    },
  );
}

async function byPassword(call: Call): Promise<number> {
  const url = urlOf(call);
  const email = call.flags.text('email') ?? (await call.ask?.('Email: '));
  if (email === undefined) throw new UsageError('pass --email or --api-key');
  const password = secretOf(call.environment, 'ARBITER_PASSWORD') ?? (await call.askSecretly?.('Password: '));
  if (password === undefined) throw new UsageError('no password: set ARBITER_PASSWORD or run in a terminal');
  const tenantId = call.flags.text('tenant');
  try {
    const { cookie, body } = await signIn(call, url, {
      email,
      password,
      ...(tenantId === undefined ? {} : { tenantId }),
    });
    const created = await post<{ key: string }>(
      url,
      'api-keys',
      { name: `arbiter login on ${hostname()}`.slice(0, 120) },
      cookie,
    );
    await post(url, 'auth/logout', undefined, cookie);
    writeConfigFile(call.environment, { url, apiKey: created.body.key, tenantId: body.tenant?.id });
    if (call.flags.flag('json')) call.print(JSON.stringify({ user: body.user, tenant: body.tenant }));
    else call.print(`Signed in to ${body.tenant?.name} as ${body.user?.name}. Saved a new API key for this machine.`);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof Refusal) {
      call.warn(`arbiter: ${error.message}`);
      return exitCodes.refused;
    }
    if (!isNetworkFailure(error)) throw error;
    call.warn(`arbiter: can't reach ${url}: ${reasonOf(error)}`);
    return exitCodes.unreachable;
  }
}

/** An error response, as a message. */
class Refusal extends Error {}

async function signIn(
  call: Call,
  url: string,
  given: { readonly email: string; readonly password: string; readonly tenantId?: string },
): Promise<{ cookie: string; body: SignedIn | SecondFactorAnswer }> {
  const first = await post<SignedIn>(url, 'auth/login', given);
  const { mfaToken, setupRequired } = first.body;
  if (mfaToken === undefined) return first;
  if (setupRequired === true) throw new Refusal(`set up a second factor first: open ${url}/login in a browser`);
  const code = call.flags.text('code') ?? (await call.ask?.('Authentication code: '));
  if (code === undefined) throw new UsageError('this account requires a second factor: pass --code');
  return post<SecondFactorAnswer>(url, 'auth/mfa', { action: 'verify', mfaToken, code });
}

const timeoutMs = 30_000;

async function post<Body>(
  url: string,
  path: string,
  body?: object,
  cookie?: string,
): Promise<{ cookie: string; body: Body }> {
  const response = await fetch(`${url}/api/v1/${path}`, {
    method: 'POST',
    headers: {
      'x-requested-with': 'arbiter',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Refusal(wordsOf(response.status, text, path));
  const [session = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  return { cookie: session, body: text === '' ? undefined : JSON.parse(text) };
}

function wordsOf(status: number, text: string, path: string): string {
  if (status === 403 && path === 'api-keys') {
    return 'only admins can create keys: ask an admin for one and run "arbiter login --api-key <key>"';
  }
  try {
    return `${JSON.parse(text).error}: ${status}`;
  } catch {
    // The response of a proxy.
    return `the response didn't come from Arbiter: ${status}`;
  }
}
