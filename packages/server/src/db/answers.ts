import type { Database, TransactionOptions } from './database.ts';

/**
 * Returns true when the database answers a statement within the limits of a transaction, or of `options`. Never throws.
 */
export async function databaseAnswers(
  database: Pick<Database, 'withSystem'>,
  options: TransactionOptions = {},
): Promise<boolean> {
  return database
    .withSystem('ready', (tx) => tx.query('select 1'), options)
    .then(
      () => true,
      () => false,
    );
}
