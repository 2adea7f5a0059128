import type { Tx } from '../../../db/tx.ts';
import { callInside, type InsideHandlers } from '../../../http/binding/call-inside.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { asJson } from '../../../platform/json.ts';
import type { ReadLargeYaml } from '../../../platform/read-yaml.ts';
import { columnDefaultsOf } from '../../catalogue/catalogue-records/index.ts';
import { personBehind } from '../../identity/credentials/index.ts';
import { readUserAddresses } from '../../identity/users/index.ts';
import { readLockWait } from './gitops.store.ts';
import { type Defaults, kinds } from './kinds.ts';
import type { RuleContext } from './rules/kind-rules.ts';

/** One piece of work in one transaction. */
export interface Session extends RuleContext {
  /** How long it waits for a lock; changing a table makes that shorter for a while. */
  readonly lockWait: string;
  readonly readLargeYaml: ReadLargeYaml;
  /** Defaults for what the file omits, by type. */
  readonly defaults: ReadonlyMap<string, Defaults>;
}

/** Defaults for what the file omits, by type. */
export function fileDefaults(): ReadonlyMap<string, Defaults> {
  const defaults = new Map<string, Defaults>();
  for (const kind of kinds) {
    const own = Object.entries(kind.resource.files?.defaults ?? {}).map(
      ([name, value]) => [name, asJson(value)] as const,
    );
    const always = new Set(kind.rules.always ?? []);
    const known = [...columnDefaultsOf(kind.resource), ...own];
    defaults.set(kind.type, new Map(known.filter(([name]) => kind.properties.has(name) && !always.has(name))));
  }
  return defaults;
}

/** What the work knows of the tenant before it reads its records. */
export async function openSession(
  tx: Tx,
  facts: RequestFacts,
  ports: InsideHandlers & { readonly readLargeYaml: ReadLargeYaml },
  options: { readonly allowDataLoss: boolean },
): Promise<Session> {
  return {
    tx,
    now: tx.now,
    lockWait: await readLockWait(tx),
    allowDataLoss: options.allowDataLoss,
    person: await personBehind(tx),
    emails: await readUserAddresses(tx),
    defaults: fileDefaults(),
    readLargeYaml: ports.readLargeYaml,
    call: (operationId, input) => callInside(tx, facts, ports, operationId, input),
  };
}
