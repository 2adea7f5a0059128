import { DecisionFlowCreate } from '@arbiter/contract';
import { type FlowReferences, flowCalls, openReferences, validateFlow } from '@arbiter/engine';
import { columnDefaults } from '../../../../db/column-defaults.ts';
import { isObject } from '../../../../platform/json.ts';
import { withDefaults } from '../../../catalogue/catalogue-records/index.ts';
import {
  asFlowConfig,
  enabledNodes,
  entityTypes,
  type FlowDirectory,
  flowDirectory,
  nameColumns,
  type RunnableFlow,
} from '../../../catalogue/flows/index.ts';
import { modelNamed } from '../../../catalogue/models/index.ts';
import type { FolderFiles } from '../../gitops/index.ts';
import { bodiesOf } from './folder-bodies.ts';
import type { FolderCatalogue } from './folder-catalogue.ts';
import type { RefuseFile } from './folder-places.ts';

/** A config of a flow that a check can look at, and where its file has it. */
export interface FlowToCheck {
  readonly flow: RunnableFlow;
  readonly path: string;
  readonly pointer: '/draft' | '/published';
}

export interface FolderFlows {
  readonly directory: FlowDirectory;
  readonly toCheck: readonly FlowToCheck[];
  /** Flows that can't run, by the reason. */
  readonly idle: readonly { readonly path: string; readonly name: string; readonly reason: string }[];
}

/** Reads the flows, and judges what they'd publish as publishing does, except for the addresses of webhooks. */
export function readFlows(folder: FolderFiles, catalogue: FolderCatalogue, refuse: RefuseFile): FolderFlows {
  const rows = bodiesOf(folder.objects, 'decision-flows', DecisionFlowCreate).map(({ id, path, body, values }) => {
    const { key, name, status, couplingOverride } = withDefaults(columnDefaults.decision_flows, body);
    const draft = isObject(values.draft) ? { ...values.draft } : null;
    const published = Object.hasOwn(values, 'published') ? values.published : draft;
    const config = isObject(published) ? { ...published } : null;
    const isDefault = body.isDefault === true;
    const row = { id, key, name, status, isDefault, couplingOverride, version: config === null ? null : 1, config };
    return { path, row, draft, isDraftApart: Object.hasOwn(values, 'published') };
  });
  const directory = flowDirectory(rows.map(({ row }) => row));
  const toCheck: FlowToCheck[] = [];
  const idle: { path: string; name: string; reason: string }[] = [];
  for (const { path, row, draft, isDraftApart } of rows) {
    const { id, key, name, couplingOverride, config, status } = row;
    const published = { config, pointer: isDraftApart ? ('/published' as const) : ('/draft' as const), version: 1 };
    const apart = isDraftApart ? [{ config: draft, pointer: '/draft' as const, version: null }] : [];
    if (status !== 'active') {
      idle.push({ path, name, reason: `is ${status}` });
      continue;
    }
    if (config === null) idle.push({ path, name, reason: "isn't published" });
    else if (!isDraftApart && enabledNodes(config) === 0) idle.push({ path, name, reason: 'has no enabled nodes' });
    for (const { config: wanted, pointer, version } of [published, ...apart]) {
      if (wanted === null || (pointer === '/draft' && enabledNodes(wanted) === 0)) continue;
      const references = referencesOf(
        folder,
        catalogue,
        rows.map((each) => each.row),
        key,
      );
      const { errors } = validateFlow(wanted, references, { use: 'publish' });
      refuse(
        path,
        errors.map(({ path: at, message }) => ({ path: `${pointer}${at}`, message })),
      );
      if (errors.length > 0) continue;
      toCheck.push({ path, pointer, flow: { id, key, name, version, couplingOverride, config: asFlowConfig(wanted) } });
    }
  }
  return { directory, toCheck, idle };
}

interface FlowRow {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly config: Parameters<typeof enabledNodes>[0];
}

/** What a flow of the folder may name: the records of the folder. */
function referencesOf(
  { objects }: FolderFiles,
  { lists, models, policies }: FolderCatalogue,
  flows: readonly FlowRow[],
  ownKey: string,
): FlowReferences {
  const known = new Set(
    objects.flatMap(({ entityType, id, name }) => [`${entityType} ${id}`, `${entityType} ${name}`]),
  );
  const columns = new Map(
    lists.schemas.flatMap(({ id, name, columns: own }) => {
      const names = own.map((column) => column.name);
      return [[id, names] as const, [name, names] as const];
    }),
  );
  const everywhere = new Set(
    policies.flatMap(({ id, scopes }) => (scopes.some(({ scope }) => scope === 'global') ? [id] : [])),
  );
  return {
    has(kind, name) {
      if (kind === 'model') return modelNamed(models, name) !== null;
      if (kind === 'globalContactPolicy') return everywhere.has(name);
      const entityType = entityTypes[kind];
      if (entityType === null) return false;
      const isName = !known.has(`${entityType} ${name}`) || !/^[0-9a-f-]{36}$/.test(name);
      return known.has(`${entityType} ${name}`) && (!isName || nameColumns[kind] !== undefined);
    },
    customFieldKeys: new Set(
      [...lists.categories, ...lists.subCategories].flatMap(({ customFields = [] }) =>
        customFields.map(({ key }) => key),
      ),
    ),
    columnsOf: (schema) => columns.get(schema.toLowerCase()) ?? [],
    ownKey,
    flows: flows.map(({ id, key, status, config }) => ({
      id,
      key,
      calls: status === 'active' && config !== null ? flowCalls(config).map(({ flow }) => flow) : null,
      nodes: enabledNodes(config),
    })),
    webhooks: openReferences.webhooks,
    modelNamed(name) {
      const model = modelNamed(models, name);
      return model === null ? null : { modelType: model.modelType, isActive: model.status === 'active' };
    },
  };
}
