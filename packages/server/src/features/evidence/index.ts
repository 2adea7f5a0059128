import { feature } from '../../feature.ts';

export { appendChanges, evidenceNumber, rebuildEvidence } from './evidence.store.ts';
export { type EvidenceChange, emptyEvidence, evidenceView } from './evidence.ts';
export { createEvidenceKeeper, type EvidenceKeeper } from './evidence-keeper.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['evidence_heads', 'evidence_changes', 'evidence_snapshots'];

export const evidenceFeature = feature({
  name: 'evidence',
  tables,
});
