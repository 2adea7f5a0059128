// Flips single bits of stored decisions, as a failing disk or someone with database access would.
import type { TestServer } from '../../packages/server/src/main/test-server.ts';

type Query = TestServer['testDatabase']['ownerQuery'];

/** A bit that can be flipped and restored. */
export interface Bit {
  readonly what: string;
  flip(): Promise<void>;
}

/** Returns bits of everything that a decision's record consists of. */
export async function bitsOf(query: Query, id: string): Promise<Bit[]> {
  const [record] = await query<{ tenant: string; plan: string; ref: string; bytes: number }>(
    `select tenant_id as tenant, encode(plan_hash, 'hex') as plan, customer_ref as ref, length(body) as bytes
       from arbiter.decisions where id = $1`,
    [id],
  );
  if (record === undefined) throw new Error('no such record');
  const { tenant, plan, ref, bytes } = record;
  const bit = (table: string, column: string, at: number, where: string, values: readonly unknown[]): Bit => ({
    what: `bit ${at} of ${table}.${column}`,
    flip: async () => {
      await query(
        `update arbiter.${table} set ${column} = set_bit(${column}, ${at}, 1 - get_bit(${column}, ${at})) where ${where}`,
        [...values],
      );
    },
  });
  const ofBody = (at: number) => bit('decisions', 'body', at, 'id = $1', [id]);
  const ofPlan = [tenant, plan] as const;
  return [
    ...[0, 40, 100].map((at) => bit('plans', 'body', at, `tenant_id = $1 and hash = decode($2, 'hex')`, ofPlan)),
    ...[0, 40, 100].map((at) => bit('plan_pieces', 'body', at, 'tenant_id = $1', [tenant])),
    bit('decisions', 'plan_hash', 7, 'id = $1', [id]),
    // Format byte, initialization vector, text and tag.
    ...[0, 3, 30, 8 * Math.floor(bytes / 2) + 5, 8 * bytes - 1].map(ofBody),
    bit('decisions', 'result_hash', 100, 'id = $1', [id]),
    bit('customer_states', 'data_key', 100, 'tenant_id = $1 and ref = $2', [tenant, ref]),
    ...[0, 20].map((at) => bit('model_state_bodies', 'body', at, 'tenant_id = $1', [tenant])),
    ...(['evidence_number', 'flow_version'] as const).map((column) => ({
      what: `decisions.${column}`,
      flip: async () => {
        await query(`update arbiter.decisions set ${column} = ${column} # 1 where id = $1`, [id]);
      },
    })),
  ];
}
