export { type CheckResult, checkCatalogue, checkInSlices } from './check/check.ts';
export {
  type Coverage,
  type Finding,
  type FindingCode,
  findingCodes,
  type Repair,
  type Severity,
} from './check/findings.ts';
export type { CheckInput, Subject } from './check/subject.ts';
export { subjectTypes } from './check/subject.ts';
export type { Witness } from './check/witness.ts';
