import type { OverlayChange, StudyStarted } from '@arbiter/contract';
import type { RequestFacts } from '../../../../http/handler.ts';
import { type StudyPorts, startStudy } from '../studies.service.ts';
import type { StoredCheckSpec } from '../study-kind.ts';

export interface CheckToContinue extends Pick<StoredCheckSpec, 'offerIds' | 'known'> {
  readonly flowId: string;
  /** Null: the draft. */
  readonly version: number | null;
  readonly overlay: readonly OverlayChange[];
}

/** Continues a check as a study. See `startStudy`. */
export const startCheckStudy = (
  ports: StudyPorts,
  facts: RequestFacts,
  { flowId, version, overlay, offerIds, known }: CheckToContinue,
): Promise<StudyStarted> => {
  const judged = version ?? 'draft';
  const changed = overlay.length > 0 ? { overlay: [...overlay] } : {};
  return startStudy(ports, facts, {
    ...{ kind: 'check', flow: flowId, version: judged, overlay, base: null },
    spec: async () => ({ version: judged, offerIds, known, ...changed }),
  });
};
