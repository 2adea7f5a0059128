import type { Tx } from '../../db/tx.ts';
import { isUuid, type Referable, referable } from '../records/index.ts';
import type { StoredConfig } from './flows.store.ts';

/** Kinds of records a flow may name that have a table; the engine's other kinds name nothing yet. */
const resources = {
  category: 'category',
  subCategory: 'subCategory',
  offer: 'offer',
  channel: 'channel',
  placement: 'placement',
  schema: 'schema',
  qualificationRule: 'qualificationRule',
  contactPolicy: 'contactPolicy',
  flow: 'decisionFlow',
} as const satisfies Record<string, Referable>;

/** Which of the records that a config names exist in the tenant. */
export interface FlowReferences {
  exists(kind: string, idOrName: string): boolean;
}

const longestName = 255;

/** Every text in the config that may be an id, a name or a key. */
function collectTexts(value: unknown, found: Set<string>): void {
  if (typeof value === 'string') {
    if (value !== '' && value.length <= longestName) found.add(value);
  } else if (Array.isArray(value)) {
    for (const entry of value) collectTexts(entry, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const entry of Object.values(value)) collectTexts(entry, found);
  }
}

/**
 * Looks up everything the config can name, in one statement: live records by id; schemas and flows also by name and key.
 * Missing, deleted and foreign records look alike (quality.md T1).
 */
export async function readReferences(tx: Tx, config: StoredConfig): Promise<FlowReferences> {
  const found = new Set<string>();
  collectTexts(config, found);
  const texts = [...found];
  const ids = texts.filter(isUuid).map((id) => id.toLowerCase());
  const byId = Object.entries(resources).map(([kind, resource]) => {
    const { table, softDelete } = referable[resource];
    const live = softDelete ? ' and deleted_at is null' : '';
    return `select '${kind}' as kind, id::text as name from arbiter.${table}
      where tenant_id = $1 and id = any($2::uuid[])${live}`;
  });
  const rows = await tx.query<{ kind: string; name: string }>(
    `${byId.join('\nunion all ')}
     union all select 'schema', name from arbiter.schemas where tenant_id = $1 and name = any($3::text[])
     union all select 'flow', key from arbiter.decision_flows
       where tenant_id = $1 and key = any($3::text[]) and deleted_at is null`,
    [tx.tenantId, ids, texts],
  );
  const known = new Set(rows.map(({ kind, name }) => `${kind} ${name}`));
  return {
    exists: (kind, idOrName) => known.has(`${kind} ${isUuid(idOrName) ? idOrName.toLowerCase() : idOrName}`),
  };
}
