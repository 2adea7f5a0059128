/** Where a database server is, and who signs in. */
export interface DatabaseTarget {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly ssl: 'disable' | 'require' | 'verify_full';
}

/** A table to read. Names are quoted. */
export interface TableQuery {
  readonly table: string;
  /** Null: the whole table. */
  readonly watermark: string | null;
  /** Only rows beyond this watermark; null: all that have one. */
  readonly after: string | null;
  /** 0: no limit. */
  readonly limit: number;
}

/** A session in a tenant's own database, which can only read. Its functions throw SourceError. */
export interface DatabaseSource {
  /** Runs a trivial statement. */
  check(): Promise<void>;
  /** Reads in one snapshot. The size of a page follows that of its rows. */
  pages(query: TableQuery): AsyncIterable<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}
