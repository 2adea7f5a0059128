import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { largestCsv } from '@arbiter/contract';
import { UsageError } from './exit-codes.ts';

const bytes = (count: number): string => count.toLocaleString('en-US');

/** Opens a file that is read while it is sent. */
export async function fileAt(path: string, type = 'text/csv'): Promise<File> {
  let content: Blob;
  try {
    if (!(await stat(path)).isFile()) throw new UsageError(`${path} isn't a file`);
    content = await openAsBlob(path, { type });
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`${path} can't be read`);
  }
  // The server would close the connection midway, which looks like a network failure.
  if (content.size > largestCsv) {
    throw new UsageError(`${path} is too large: ${bytes(content.size)} bytes, and the limit is ${bytes(largestCsv)}`);
  }
  return new File([content], basename(path), { type });
}
