import { feature } from '../../../feature.ts';
import { beginEvidenceAnew } from './evidence.store.ts';

export { appendChanges, evidenceNumber, rebuildEvidence } from './evidence.store.ts';
export { type EvidenceChange, emptyEvidence, evidenceToJson, evidenceView } from './evidence.ts';
export { expireEvidence } from './evidence-expiry.store.ts';
export { createEvidenceKeeper, type EvidenceKeeper } from './evidence-keeper.ts';
export { type EvidenceTimeline, readTimeline } from './evidence-timeline.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['evidence_heads', 'evidence_changes', 'evidence_snapshots'];

export const evidenceFeature = feature({
  name: 'evidence',
  tables,
  resets: {
    empties: ['evidence_changes', 'evidence_snapshots'],
    keeps: { evidence_heads: 'numbers keep counting, so that every process notices the change' },
    end: beginEvidenceAnew,
  },
});
