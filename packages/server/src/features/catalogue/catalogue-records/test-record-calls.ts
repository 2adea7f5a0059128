import type { Tx } from '../../../db/tx.ts';

interface Answered<Body> {
  readonly body: Body;
}

/** The handlers of a record's operations as functions of their bodies, for tests that bring the transaction. */
export function recordCalls<Create, Update, Query, One, Page>(handlers: {
  create(tx: Tx, input: { readonly body: Create }): Promise<Answered<One>>;
  update(tx: Tx, input: { readonly body: Update }): Promise<Answered<One>>;
  get(
    tx: Tx,
    input: { readonly params: { readonly id: string }; readonly query: { readonly includeDeleted?: boolean } },
  ): Promise<Answered<One>>;
  list(tx: Tx, input: { readonly query: Query }): Promise<Answered<Page>>;
}) {
  return {
    create: async (tx: Tx, body: Create) => (await handlers.create(tx, { body })).body,
    update: async (tx: Tx, body: Update) => (await handlers.update(tx, { body })).body,
    read: async (tx: Tx, id: string) => (await handlers.get(tx, { params: { id }, query: {} })).body,
    list: async (tx: Tx, query: Query) => (await handlers.list(tx, { query })).body,
  };
}
