import type { Call, Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { secretOf } from '../../settings.ts';
import { loadServer } from './serve.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'write a backup of the whole database to a file (operator)',
  help: `Write a backup of the whole database to a file, while the server runs: every row as of one moment.

Usage: arbiter backup <file> [--tenant <name or id> [--move]] [--with-secrets] [--with-exports]

  --tenant            back up one tenant, to add it to another installation. The name is the one in BOOTSTRAP_FILE
  --move              deactivate the tenant first, so that nothing changes after its backup. The restore activates it
  --with-secrets      add the secrets: encryption keys, signing keys, credentials of channels and sign-in providers.
                      They are sealed with a passphrase of 12 characters or more, from ARBITER_BACKUP_PASSPHRASE or the
                      file that ARBITER_BACKUP_PASSPHRASE_FILE names; else the command asks for it. With --tenant, adds
                      only the tenant's credentials, which stay sealed with DATA_ENCRYPTION_KEY and need no passphrase
  --with-exports      add the files of EXPORT_DIR

Needs the server's environment: DATA_DIR, or DATABASE_URL and DATABASE_ADMIN_URL, whose role must be a superuser or have
BYPASSRLS. The file is readable for you only, and still holds personal data: encrypt it before you move it.
Exits 0 when the file is complete, 1 when it can't be written, 78 when the configuration can't be used.`,
  options: {
    ...{ tenant: { type: 'string' }, move: { type: 'boolean' } },
    ...{ 'with-secrets': { type: 'boolean' }, 'with-exports': { type: 'boolean' } },
  },
  async run(call) {
    const [file, ...more] = call.positionals;
    if (file === undefined || more.length > 0) throw new UsageError('expects one file');
    const tenant = call.flags.text('tenant') ?? null;
    const isMove = call.flags.flag('move');
    if (isMove && tenant === null) throw new UsageError('--move needs --tenant');
    const withSecrets = call.flags.flag('with-secrets');
    const passphrase = withSecrets && tenant === null ? await newPassphrase(call) : null;
    const { backupTo } = await loadServer();
    const request = { file, tenant, isMove, withSecrets, passphrase, withExports: call.flags.flag('with-exports') };
    return backupTo(quietShell(call), request, ({ rows, tables, bytes, exports }) => {
      call.print(`Backed up ${count(rows, 'row')} of ${count(tables, 'table')}`);
      if (exports > 0) call.print(`Added ${count(exports, 'export file')}`);
      call.print(`Wrote ${file} (${count(bytes, 'byte')})`);
      if (isMove) call.print(`Deactivated the tenant ${tenant}; restore the file to activate it elsewhere`);
      if (!withSecrets) call.print(leftOut(tenant));
    });
  },
};

const leftOut = (tenant: string | null): string =>
  tenant === null
    ? 'Left out all secrets; keep DATA_ENCRYPTION_KEY and API_KEY_PEPPER elsewhere, or use --with-secrets'
    : 'Left out the credentials of channels and sign-in providers; --with-secrets adds them';

/** Only the result belongs on the standard output of an operator's command; the server's log goes there too. */
export const quietShell = (call: Call) => ({
  environment: { LOG_LEVEL: 'silent', ...call.environment },
  print: call.warn,
  warn: call.warn,
});

export const passphraseOf = (call: Call): string | undefined => secretOf(call.environment, 'ARBITER_BACKUP_PASSPHRASE');

async function newPassphrase(call: Call): Promise<string> {
  const given = passphraseOf(call) ?? (await call.askSecretly?.('Passphrase for the secrets: '));
  if (given === undefined) throw new UsageError('needs ARBITER_BACKUP_PASSPHRASE or ARBITER_BACKUP_PASSPHRASE_FILE');
  return given;
}

export const count = (number: number, what: string): string =>
  `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`;
