import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';

/** Settings of a connector to a test database. */
export interface DatabasePort {
  readonly config: Readonly<Record<string, unknown>>;
  close(): void;
}

/** Opens a TCP port to a test database, which listens on a unix socket only. */
export async function openDatabasePort(adminUrl: string): Promise<DatabasePort> {
  const { searchParams, pathname, username } = new URL(adminUrl);
  const path = join(searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const server = createServer((client) => {
    const socket = connect({ path });
    client.pipe(socket).pipe(client);
    client.on('error', () => socket.destroy());
    socket.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    config: {
      ...{ host: '127.0.0.1', port, database: pathname.slice(1) },
      ...{ username: decodeURIComponent(username), ssl: 'disable' },
    },
    close: () => server.close(),
  };
}
