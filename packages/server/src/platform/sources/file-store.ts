/** A file of a folder or a bucket. */
export interface StoredFile {
  /** Below the settings' path. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly mtime: number;
  /** Changes with the content. */
  readonly version: string;
}

/** Files below a path. Its functions throw SourceError. */
export interface FileStore {
  /** In any order. */
  list(): AsyncIterable<StoredFile>;
  open(name: string): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}
