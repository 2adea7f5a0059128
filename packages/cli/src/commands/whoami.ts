import { overHttp } from '../api.ts';
import { type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { connectionOf } from '../settings.ts';

export const whoami: Command = {
  name: 'whoami',
  summary: 'say who the key stands for',
  help: `Say for whom, in which tenant and with which rights the API key acts.

Usage: arbiter whoami [--json]

${connectionHelp}`,
  options: connectionOptions,
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`does not know ${call.positionals[0]}`);
    return overHttp(
      call,
      (client) => client.auth.session({ headers: { Authorization: `Bearer ${connectionOf(call).apiKey}` } }),
      {
        report({ principal, tenant, expiresAt }) {
          if (principal === undefined) return call.warn('arbiter: the server does not know this key');
          call.print(`${principal.name} (${principal.kind}, ${principal.role ?? 'no role'})`);
          call.print(`tenant  ${tenant?.name} (${tenant?.id})`);
          if (principal.scopes !== undefined) call.print(`scopes  ${principal.scopes.join(', ')}`);
          call.print(`ends    ${expiresAt ?? 'never'}`);
        },
        codeOf: ({ authenticated }) => (authenticated ? exitCodes.ok : exitCodes.refused),
      },
    );
  },
};
