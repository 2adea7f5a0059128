import type { Database } from '../../../db/index.ts';
import type { AnyHandler } from '../../../http/handler.ts';
import type { Authenticate } from '../../../http/principal.ts';
import type { Dist } from './dist.ts';

/** What the console's page needs of the process. */
export interface ConsolePorts {
  readonly authenticate: Authenticate;
  readonly consoleDist: Dist;
  readonly database: Pick<Database, 'withTenant'>;
  /** Null: signing in with Google is not configured. */
  readonly google: object | null;
  readonly operationHandlers: () => ReadonlyMap<string, AnyHandler>;
  /** NEXTAUTH_URL. */
  readonly publicUrl: string;
  readonly signUp: { readonly isOpen: boolean };
  /** Of the product. */
  readonly version: string;
}
