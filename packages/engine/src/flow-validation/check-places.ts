import { readObject } from '../config-values.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import type { IssueNode, RefuseAt } from './flow-issues.ts';

interface HookPlace {
  /** True for a node that may not come before the hook. */
  readonly comesLater: (type: string, phase: number) => boolean;
  /** True for a node that may not come after it. */
  readonly comesEarlier: (type: string, phase: number) => boolean;
  readonly text: string;
}

/**
 * Where an extension point may be. A flow without a score node scores at the start of phase 2, one without a rank node
 * ranks at its end, so the phases determine what comes before and after those.
 */
const hookPlaces: ReadonlyMap<unknown, HookPlace> = new Map([
  [
    'pre_score',
    { comesLater: (_type, phase) => phase >= 2, comesEarlier: () => false, text: 'pre_score must come before score' },
  ],
  [
    'score_override',
    {
      comesLater: (type, phase) => phase === 3 || type === 'rank' || type === 'group',
      comesEarlier: (type, phase) => phase === 1 || type === 'score' || type === 'optimize',
      text: 'score_override must come after score and optimize and before rank',
    },
  ],
  [
    'post_rank',
    {
      comesLater: () => false,
      comesEarlier: (type, phase) => phase === 1 || (phase === 2 && type !== 'group'),
      text: 'post_rank must come after rank',
    },
  ],
] satisfies [string, HookPlace][]);

/** Checks that an extension point is where its hook belongs (docs/design/api-decisioning.md 7, `hook_position`). */
export function checkHook(place: IssueNode, enabled: readonly IssueNode[], refuse: RefuseAt): void {
  const hook = hookPlaces.get(place.node.config?.hook);
  if (hook === undefined) return;
  const wrong = enabled.some(({ node, at }) => {
    const phase = nodeKinds.get(node.type)?.phase;
    if (phase === undefined || phase === 'any' || at === place.at) return false;
    return at < place.at ? hook.comesLater(node.type, phase) : hook.comesEarlier(node.type, phase);
  });
  if (wrong) refuse(place.at, 'hook_position', hook.text);
}

/** `skip_to` names a later node of phase 1, or the first of phase 2 (`skip_target`). */
export function checkSkips(place: IssueNode, enabled: readonly IssueNode[], refuse: RefuseAt): void {
  const firstScored = enabled.find(({ phase }) => phase === 2);
  for (const side of ['onTrue', 'onFalse']) {
    const { action, nodeId } = readObject(place.node.config?.[side]);
    if (action !== 'skip_to' || typeof nodeId !== 'string') continue;
    const target = enabled.find(({ node, at }) => at > place.at && node.id === nodeId);
    if (target !== undefined && (target.phase === 1 || target === firstScored)) continue;
    refuse(
      place.at,
      'skip_target',
      `skip_to must name a later node of phase 1 or the first node of phase 2, and ${nodeId} is neither`,
      `/config/${side}/nodeId`,
    );
  }
}
