export { itemId, newDecisionId, recordContext, requestContext, seedOf } from './decision-ids.ts';
export { inputText, reduceRequest } from './packed-input.ts';
export { type ItemTexts, itemTexts, resultHash, resultText } from './packed-result.ts';
export { readDecision, replayDecision } from './sealed-records.service.ts';
export { insertRecords, type RecordRow } from './sealed-records.store.ts';
export { seal, unseal } from './sealing.ts';
