import type { EntityType, ErrorEntry, FlowFile, FlowImport, FlowReferenceEntry } from '@arbiter/contract';
import { flowReferences, type Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import { isUuid } from '../../../platform/ids.ts';
import { asJson, isObject } from '../../../platform/json.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { refText, selectNamed, selectReferences, typeNamed } from './flow-exchange.store.ts';
import type { FlowPorts } from './flow-ports.ts';
import { entityTypes } from './flow-references.store.ts';
import { readConfig, type VersionName } from './flow-versions.service.ts';
import { createFlow } from './flows.service.ts';
import { type DecisionFlowRow, flowSpec, type StoredConfig } from './flows.store.ts';

/**
 * Returns one flow as a file; `published` selects its last version, 404 when there is none (docs/design/api-settled.md
 * 31).
 */
export async function exportFlow(tx: Tx, id: string, version: VersionName | 'published'): Promise<FlowFile> {
  const flow = await getRecord(tx, flowSpec, id);
  if (version === 'published' && flow.publishedVersion === null) {
    throw new AppError('not_found', { detail: 'The flow was never published.' });
  }
  const config = await readConfig(tx, flow, version === 'published' ? (flow.publishedVersion ?? 'draft') : version);
  const { key, name, description, autoAssembly, couplingOverride } = flow;
  return {
    format: 'arbiter.flow.1',
    key,
    name,
    description,
    autoAssembly,
    couplingOverride,
    config: { ...config },
    references: await readReferencesOf(tx, config),
  };
}

/** Returns what a config's ids refer to. Unknown ids stay unchanged. */
async function readReferencesOf(tx: Tx, config: StoredConfig): Promise<Record<string, FlowReferenceEntry>> {
  const byType = Map.groupBy(
    flowReferences(withAllNodes(config)).filter(({ id }) => isUuid(id)),
    ({ kind }) => entityTypes[kind],
  );
  const references: Record<string, FlowReferenceEntry> = {};
  for (const [entityType, named] of byType) {
    if (entityType === null) continue;
    const found = await selectReferences(
      tx,
      entityType,
      named.map(({ id }) => id),
    );
    for (const { id } of named) {
      const reference = found.get(id.toLowerCase());
      if (reference !== undefined) references[id] = reference;
    }
  }
  return references;
}

/** Disabled nodes name records too, which the flow check does not ask for. */
function withAllNodes(config: StoredConfig): StoredConfig {
  const { nodes } = config;
  if (!Array.isArray(nodes)) return config;
  return { ...config, nodes: nodes.map((node: Json) => (isObject(node) ? { ...node, enabled: true } : node)) };
}

/**
 * Creates a draft flow from a file: each id becomes that of the tenant's record with the same key or name. Throws 400
 * `reference_not_found` when there is none, 409 when the key is taken.
 */
export async function importFlow(tx: Tx, { flow, key, name }: FlowImport, ports: FlowPorts): Promise<DecisionFlowRow> {
  const ids = await resolve(tx, flow.references);
  const config = asJson(renamed(asJson(flow.config), ids));
  const { description, autoAssembly, couplingOverride } = flow;
  const draftConfig = isObject(config) ? config : {};
  const body = {
    key: key ?? flow.key,
    name: name ?? flow.name,
    description,
    autoAssembly,
    couplingOverride,
    draftConfig,
  };
  return createFlow(tx, body, ports, 'import');
}

/** The tenant's ids by the ids of the file, in lower case. */
async function resolve(tx: Tx, references: FlowFile['references']): Promise<ReadonlyMap<string, string>> {
  const entries = Object.entries(references).map(([id, reference]) => ({
    id,
    path: `/flow/references/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    reference,
    entityType: typeNamed(reference.type),
  }));
  refuseProblems(
    entries.flatMap(({ id, path, reference, entityType }): ErrorEntry[] => [
      ...(isUuid(id) ? [] : [{ path, message: 'must be an ID' }]),
      ...(entityType === null
        ? [{ path: `${path}/type`, message: `flows can't refer to records of type ${reference.type}` }]
        : []),
    ]),
  );
  const found = new Map<string, string>();
  const missing: ErrorEntry[] = [];
  for (const [entityType, named] of Map.groupBy(entries, (entry) => entry.entityType)) {
    const live = await selectNamed(
      tx,
      entityType as EntityType,
      named.map(({ reference }) => reference.ref),
    );
    for (const { id, path, reference } of named) {
      const own = live.get(refText(reference.ref));
      if (own === undefined) missing.push({ path, message: `no such record exists in ${reference.type}` });
      else found.set(id.toLowerCase(), own);
    }
  }
  const [first] = missing;
  if (first === undefined) return found;
  throw new AppError('reference_not_found', {
    detail: `${first.path} ${first.message}`,
    errors: missing.slice(0, 50),
  });
}

/** The value with ids of the file replaced by those of the tenant, in texts and in names of properties. */
function renamed(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return ids.get(value.toLowerCase()) ?? value;
  if (Array.isArray(value)) return value.map((entry: Json) => renamed(entry, ids));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [ids.get(name.toLowerCase()) ?? name, renamed(entry, ids)]),
  );
}
