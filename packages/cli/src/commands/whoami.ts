import { overHttp } from '../api.ts';
import { type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { connectionOf } from '../settings.ts';

export const whoami: Command = {
  name: 'whoami',
  summary: 'show the identity of the API key',
  help: `Show the owner, tenant and permissions of the API key.

Usage: arbiter whoami [--json]

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    return overHttp(
      call,
      (client) => client.auth.session({ headers: { Authorization: `Bearer ${connectionOf(call).apiKey}` } }),
      {
        report({ principal, tenant, expiresAt }) {
          if (principal === undefined) return call.warn('arbiter: invalid API key');
          call.print(`${principal.name} (${principal.kind}, ${principal.role ?? 'no role'})`);
          call.print(`tenant   ${tenant?.name} (${tenant?.id})`);
          if (principal.scopes !== undefined) call.print(`scopes   ${principal.scopes.join(', ')}`);
          call.print(`expires  ${expiresAt ?? 'never'}`);
        },
        codeOf: ({ authenticated }) => (authenticated ? exitCodes.ok : exitCodes.refused),
      },
    );
  },
};
