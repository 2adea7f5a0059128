import { randomBytes } from 'node:crypto';
import { type ApiKeyScope, apiKeyScopes } from '@arbiter/contract';
import { overHttp } from '../../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../../command.ts';
import { exitCodes, UsageError } from '../../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'create an API key',
  help: `Create an API key and print it. The key is shown only once.

Usage: arbiter key create [--scopes <list>] [--name <name>] [--tenant <name>] [--json]

  --scopes <list>     comma-separated: ${apiKeyScopes.join(', ')}; default: all
  --name <name>       name of the key in lists and the audit log
  --tenant <name>     operator: create the key directly in the database, in the tenant with this name; creates the
                      tenant if it doesn't exist. Requires the server's environment, like arbiter tenant create

Without --tenant, the key is created through the API, in the tenant of your key, which needs the admin scope.

${connectionHelp.replace(/\n {2}--tenant.*/, '')}`,
  options: { ...connectionOptions, scopes: { type: 'string' }, name: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    const tenantName = call.flags.text('tenant');
    const scopes = scopesOf(call.flags.text('scopes'));
    return tenantName === undefined ? throughTheApi(call, scopes) : onTheDatabase(call, tenantName, scopes);
  },
};

async function throughTheApi(call: Call, scopes: readonly ApiKeyScope[] | undefined): Promise<number> {
  const name = call.flags.text('name');
  const body = { ...(name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes: [...scopes] }) };
  return overHttp(call, (client) => client.apiKeys.create({ body }), {
    report: (created) => {
      call.print(created.key);
      call.warn(created.warning);
    },
  });
}

async function onTheDatabase(
  call: Call,
  tenantName: string,
  scopes: readonly ApiKeyScope[] | undefined,
): Promise<number> {
  const key = `krn_${randomBytes(32).toString('hex')}`;
  const name = call.flags.text('name') ?? `key-${key.slice(4, 12)}`;
  const entry = { name, key, ...(scopes === undefined ? {} : { scopes }) };
  const tenant = await applyFragment(call, { name: tenantName, apiKeys: [entry] });
  if (typeof tenant === 'number') return tenant;
  if (call.flags.flag('json')) call.print(JSON.stringify({ ...entry, tenantId: tenant.id }));
  else call.print(key);
  if (tenant.created) call.warn(`arbiter: created tenant ${tenantName}: ${tenant.id}`);
  return exitCodes.ok;
}

function scopesOf(text: string | undefined): readonly ApiKeyScope[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((word) => {
    const scope = apiKeyScopes.find((known) => known === word.trim());
    if (scope === undefined) throw new UsageError(`unknown scope: ${word}. Use ${apiKeyScopes.join(', ')}`);
    return scope;
  });
}
