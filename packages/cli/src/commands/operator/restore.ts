import type { Call, Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { count, passphraseOf, quietShell } from './backup.ts';
import { loadServer } from './serve.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'restore a backup into an empty database, or add a tenant (operator)',
  help: `Restore a backup into an empty database, or into an empty DATA_DIR. Stop the server first. A backup of one tenant is
added to the tenants of a database, while its server runs.

Usage: arbiter restore <file> [--verify]
       arbiter restore --verify

  --verify            replay 100 random decisions and verify every audit chain; without a file, of the current database,
                      and for a tenant's backup, of that tenant

Needs the server's environment: DATA_DIR, or DATABASE_URL and DATABASE_ADMIN_URL, whose role must be a superuser or have
BYPASSRLS, and a superuser to add a tenant. Checks the file, its version, the secrets and the database before it changes anything. Secrets of the backup
go to DATA_DIR/secrets.json; their passphrase comes from ARBITER_BACKUP_PASSPHRASE, from the file that
ARBITER_BACKUP_PASSPHRASE_FILE names, or from you.
Exits 0 when all is restored, 1 when the backup can't be restored here, 4 when --verify finds differences, 78 when the
configuration can't be used or the backup is newer than this build.`,
  options: { verify: { type: 'boolean' } },
  async run(call) {
    const [file, ...more] = call.positionals;
    const verify = call.flags.flag('verify');
    if (more.length > 0 || (file === undefined && !verify)) throw new UsageError('expects one file');
    const { restoreFrom } = await loadServer();
    const passphrase = passphraseOf(call) ?? null;
    const request = {
      file: file ?? null,
      verify,
      passphrase,
      ask: async () => (await call.askSecretly?.('Passphrase of the backup: ')) ?? null,
    };
    return restoreFrom(quietShell(call), request, {
      restored: (summary) => tellRestored(call, summary),
      verified: (proof) => printProof(call, proof),
    });
  },
};

type Restored = Parameters<Parameters<Awaited<ReturnType<typeof loadServer>>['restoreFrom']>[2]['restored']>[0];
type Proof = Parameters<Parameters<Awaited<ReturnType<typeof loadServer>>['restoreFrom']>[2]['verified']>[0];

function tellRestored(
  call: Call,
  { header, rows, tables, secretsFile, missingSecrets, withoutSecret }: Restored,
): void {
  call.print(`Restored ${count(rows, 'row')} of ${count(tables, 'table')}`);
  const { tenant } = header;
  if (tenant !== null) call.print(`Added the tenant ${tenant.name} (${tenant.id})`);
  call.print(`The backup is from ${header.createdAt} (Arbiter ${header.version}, ${header.migrations.at(-1)?.name})`);
  if (header.exports.length > 0) call.print(`Restored ${count(header.exports.length, 'export file')}`);
  if (secretsFile !== null) call.print(`Stored the secrets in ${secretsFile}; AUTO_SECRETS=on reads them`);
  if (missingSecrets.length > 0) {
    call.print(
      `Set ${missingSecrets.join(' and ')} to the values of the backed up server before you start: without them no record opens and no key works`,
    );
  }
  if (withoutSecret.length > 0) {
    call.print('Enter these secrets again:');
    for (const { kind, tenant, name } of withoutSecret) call.print(`  ${tenant}: ${kind} ${name}`.trimEnd());
  }
}

function printProof(call: Call, { replayed, identical, unavailable, chains, auditRows, problems }: Proof): void {
  call.print(`Replayed ${count(replayed, 'decision')}: ${identical} identical`);
  if (unavailable > 0) call.print(`Skipped ${count(unavailable, 'decision')} whose inputs were erased or never stored`);
  call.print(`Verified ${count(chains, 'audit chain')}: ${count(auditRows, 'row')}`);
  for (const problem of problems) call.warn(`arbiter: ${problem}`);
}
