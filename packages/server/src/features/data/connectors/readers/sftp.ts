import { openSftpStore, type SftpTarget } from '../../../../platform/sources/sftp-store.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import { connectMs, numberOf, probeMs, requiredText, type Source, type SourceKind, textOf } from '../source.ts';
import { filesReader } from './files.ts';

function targetOf(source: Source): SftpTarget {
  const isKey = source.method === 'ssh_key';
  const path = textOf(source, 'path') ?? '.';
  if (path.includes('\0')) throw new SourceError('missing_config');
  return {
    ...{ host: requiredText(source, 'host'), port: numberOf(source, 'port', 22), path },
    username: textOf(source, 'username') ?? '',
    password: isKey ? undefined : textOf(source, 'password'),
    privateKey: isKey ? requiredText(source, 'privateKey') : undefined,
    passphrase: isKey ? textOf(source, 'passphrase') : undefined,
    hostKey: textOf(source, 'hostKey'),
  };
}

/** Files of an SFTP server. */
export const sftpSource: SourceKind = {
  async probe({ sockets }, source, signal) {
    if (textOf(source, 'username') === undefined) {
      const [host, port] = [requiredText(source, 'host'), numberOf(source, 'port', 22)];
      const socket = await sockets.connect({ host, port, protocol: 'sftp' }, { timeoutMs: probeMs, signal });
      socket.destroy();
      return { details: { login: 'skipped' } };
    }
    const store = await openSftpStore(sockets, targetOf(source), { timeoutMs: probeMs, signal });
    await store.close();
    return { details: { login: 'ok' } };
  },
  open: ({ sockets }, source) =>
    filesReader(source, (signal) => openSftpStore(sockets, targetOf(source), { timeoutMs: connectMs, signal })),
};
