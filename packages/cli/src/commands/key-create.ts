import { randomBytes } from 'node:crypto';
import { type ApiKeyScope, apiKeyScopes } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { applyFragment } from './serve.ts';

export const keyCreate: Command = {
  name: 'key create',
  summary: 'make an API key',
  help: `Make an API key and print it; it is shown this once.

Usage: arbiter key create [--scopes <list>] [--name <name>] [--tenant <name>] [--json]

  --scopes <list>     by commas: ${apiKeyScopes.join(', ')}; all when left out
  --name <name>       name of the key in lists and in the audit log
  --tenant <name>     operator: make the key on the database itself, in the tenant of this name; it is made when there
                      is none. Needs the server's environment, like arbiter tenant create

Without --tenant the key is made over the API, by a key with scope admin, in that key's tenant.

${connectionHelp.replace(/\n {2}--tenant.*/, '')}`,
  options: { ...connectionOptions, scopes: { type: 'string' }, name: { type: 'string' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`does not know ${call.positionals[0]}`);
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
  if (tenant.created) call.warn(`arbiter: made tenant ${tenantName}: ${tenant.id}`);
  return exitCodes.ok;
}

function scopesOf(text: string | undefined): readonly ApiKeyScope[] | undefined {
  if (text === undefined) return undefined;
  return text.split(',').map((word) => {
    const scope = apiKeyScopes.find((known) => known === word.trim());
    if (scope === undefined) throw new UsageError(`there is no scope ${word}; known are ${apiKeyScopes.join(', ')}`);
    return scope;
  });
}
