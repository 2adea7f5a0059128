export { appendChanges, evidenceNumber, rebuildEvidence } from './evidence.store.ts';
export { type EvidenceChange, evidenceView } from './evidence.ts';
export { createEvidenceKeeper, type EvidenceKeeper } from './evidence-keeper.ts';
