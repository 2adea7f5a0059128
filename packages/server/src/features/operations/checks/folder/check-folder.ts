import type { ErrorEntry, PolicyFile, PolicyFinding } from '@arbiter/contract';
import { compile } from '@arbiter/engine';
import {
  type CheckResult,
  type Coverage,
  checkCatalogue,
  type Finding,
  type Subject,
  type Witness,
} from '@arbiter/lab';
import { zoneClock } from '../../../../platform/time/zones.ts';
import { showWitness } from '../../../deciding/studies/index.ts';
import { type FolderCatalogue, folderSnapshot } from './folder-catalogue.ts';
import type { FlowToCheck } from './folder-flows.ts';
import { openFolder, type SkippedFlow } from './open-folder.ts';

/** An object of the folder, or a part of it. */
export interface FolderPlace extends Omit<Subject, 'id' | 'path'> {
  /** Path below the folder. */
  readonly file: string;
  /** JSON Pointer into the file; empty for the whole. */
  readonly pointer: string;
}

export interface FolderFinding extends Pick<Finding, 'code' | 'severity' | 'message'> {
  readonly subject: FolderPlace;
  readonly core: readonly FolderPlace[];
  readonly repairs: readonly {
    readonly without: readonly FolderPlace[];
    readonly witness: PolicyFinding['repairs'][number]['witness'];
  }[];
  /** Keys of the flows that it is about; all in which it was found. */
  readonly flows: readonly string[];
}

export interface CheckedFlow extends Coverage {
  readonly flow: string;
  readonly file: string;
  readonly version: 'draft' | 'published';
}

/** What `arbiter check` found. With errors, nothing was checked. */
export interface FolderCheck {
  /** Why files can't be applied; `path`: `<file>#<pointer>`. */
  readonly errors: readonly ErrorEntry[];
  readonly findings: readonly FolderFinding[];
  readonly flows: readonly CheckedFlow[];
  /** Flows that weren't checked, and why. */
  readonly skipped: readonly SkippedFlow[];
  /** Offers that a generated customer got although no customer should: faults of the checker. */
  readonly contradictions: number;
}

/**
 * Judges a folder of policy as code as the server judges its catalogue, without server or database. `now`: epoch ms from
 * which customers may come. Secrets, users and the addresses of webhooks aren't judged, because a folder doesn't say them.
 */
export async function checkPolicyFolder(files: readonly PolicyFile[], now: number): Promise<FolderCheck> {
  const opened = await openFolder(files);
  const nothing = { findings: [], flows: [], contradictions: 0 };
  if (!('folder' in opened)) return { ...nothing, ...opened };
  const { folder, catalogue, directory, toCheck, skipped } = opened;
  const names = new Map(folder.objects.map(({ id, path, name }) => [id, { path, name }]));
  const found: FolderFinding[] = [];
  const flows: CheckedFlow[] = [];
  let contradictions = 0;
  for (const each of toCheck) {
    const result = check(catalogue, folderSnapshot(catalogue, directory, each.flow), now);
    contradictions += result.contradictions;
    const { key, version } = each.flow;
    flows.push({
      flow: key,
      file: each.path,
      version: version === null ? 'draft' : 'published',
      ...result.coverage,
    });
    found.push(...result.findings.map((finding) => shownFinding(finding, each, names)));
  }
  return { errors: [], findings: joined(found), flows, skipped, contradictions };
}

function check({ previews }: FolderCatalogue, snapshot: Parameters<typeof compile>[0], now: number): CheckResult {
  const soldOut = previews.flatMap(({ offer, hasStock }) => (hasStock ? [] : [offer.id]));
  return checkCatalogue({ snapshot, plan: compile(snapshot), now, clockAt: zoneClock, soldOut });
}

type Names = ReadonlyMap<string, { readonly path: string; readonly name: string }>;

function shownFinding(finding: Finding, { path, pointer, flow }: FlowToCheck, names: Names): FolderFinding {
  const { code, severity, message, core, repairs } = finding;
  const placeOf = ({ type, id, name, path: inside }: Subject): FolderPlace => {
    if (type === 'flowNode') return { type, name, file: path, pointer: `${pointer}${inside}` };
    // A file says how many there are, not how many are left.
    const own = type === 'offer' && inside === '/stock' ? '/inventory/totalStock' : inside;
    return { type, name, file: names.get(id)?.path ?? path, pointer: own };
  };
  const shown = (witness: Witness) => ({
    ...showWitness(witness),
    channelId: witness.channelId === null ? null : (names.get(witness.channelId)?.name ?? witness.channelId),
    segments: witness.segments.map((id) => names.get(id)?.name ?? id),
  });
  return {
    ...{ code, severity, message, flows: [flow.key] },
    subject: placeOf(finding.subject),
    core: core.map(placeOf),
    repairs: repairs.map(({ without, witness }) => ({ without: without.map(placeOf), witness: shown(witness) })),
  };
}

const rank = { error: 0, warning: 1, info: 2 } as const;

/** One finding for equal ones of several flows; the worst first, then by file. */
function joined(findings: readonly FolderFinding[]): FolderFinding[] {
  const groups = Map.groupBy(findings, ({ code, subject, core, message }) =>
    JSON.stringify([code, subject, core, message]),
  );
  const merged = [...groups.values()].map((group) => ({
    ...group[0]!,
    flows: [...new Set(group.flatMap(({ flows }) => flows))].sort(),
  }));
  return merged.toSorted(
    (a, b) =>
      rank[a.severity] - rank[b.severity] ||
      (a.subject.file < b.subject.file ? -1 : a.subject.file > b.subject.file ? 1 : 0),
  );
}
