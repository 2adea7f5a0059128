import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { getRecord, updateRecord } from '../catalogue-records/index.ts';
import { diffVersions, type VersionDiff } from './flow-diff.rules.ts';
import { copySecrets, draftVersion } from './flow-secrets.store.ts';
import { type DecisionFlowRow, flowSpec, type StoredConfig, selectVersions } from './flows.store.ts';

const noVersion = () => new AppError('not_found', { detail: 'The flow has no such version.' });

export interface FlowVersions {
  flowId: string;
  versions: {
    version: number;
    publishedAt: string;
    publishedBy: string;
    notes: string | null;
    summary: { nodeCount: number; scoringMethod: string | null };
    configSnapshot?: Record<string, unknown>;
  }[];
}

/** Published versions, newest first; `version` adds its config to that one, 404 if the version doesn't exist. */
export async function readVersions(tx: Tx, id: string, version: number | undefined): Promise<FlowVersions> {
  const flow = await getRecord(tx, flowSpec, id);
  const rows = await selectVersions(tx, [flow.id], version ?? 'none');
  if (version !== undefined && !rows.some((row) => row.version === version)) {
    throw noVersion();
  }
  return {
    flowId: flow.id,
    versions: rows.toReversed().map((row) => ({
      version: row.version,
      publishedAt: row.publishedAt.toISOString(),
      publishedBy: row.publishedBy,
      notes: row.notes,
      summary: { nodeCount: row.nodeCount, scoringMethod: row.scoringMethod },
      ...(row.config === null ? {} : { configSnapshot: { ...row.config } }),
    })),
  };
}

/** A version by its number, or the draft. */
export type VersionName = number | 'draft';

/** The config of a version; 404 if the version doesn't exist. */
export async function readConfig(tx: Tx, flow: DecisionFlowRow, name: VersionName): Promise<StoredConfig> {
  if (name === 'draft') return flow.draftConfig;
  const rows = await selectVersions(tx, [flow.id], name);
  const config = rows.find(({ version }) => version === name)?.config;
  if (config === undefined || config === null) throw noVersion();
  return config;
}

/** Returns the differences between two versions (docs/design/api-settled.md 51). */
export async function diffFlowVersions(
  tx: Tx,
  id: string,
  from: VersionName,
  to: VersionName,
): Promise<VersionDiff & { flowId: string; from: number | null; to: number | null }> {
  const flow = await getRecord(tx, flowSpec, id);
  const before = await readConfig(tx, flow, from);
  const after = await readConfig(tx, flow, to);
  const number = (name: VersionName) => (name === 'draft' ? null : name);
  return { flowId: flow.id, from: number(from), to: number(to), ...diffVersions(before, after) };
}

/**
 * Makes a published snapshot the draft, with the header values it was published with; rowVersion + 1. What it names may
 * have been deleted; publishing checks that.
 */
export async function restoreVersion(
  tx: Tx,
  request: { readonly id: string; readonly version: number; readonly rowVersion?: number },
): Promise<DecisionFlowRow> {
  return updateRecord(tx, flowSpec, request.id, {
    action: 'revert',
    rowVersion: request.rowVersion,
    change: async (current) => {
      const draftConfig = await readConfig(tx, current, request.version);
      await copySecrets(tx, current.id, request.version, draftVersion);
      return { draftConfig };
    },
  });
}
