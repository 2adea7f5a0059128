import { compileFormula, formulaHint, functionNames, openReferences, validateFlow } from '@arbiter/engine';
import type { FlowAnswer, FlowRequest, FormulaFinding, FormulaQuestion } from './flow-message.ts';

function formulaFindings({ source, names, isBeforeScore }: FormulaQuestion): FormulaFinding[] {
  const bareNames = new Set(names);
  const compiled = compileFormula(source, { bareNames, phase1: isBeforeScore });
  if (compiled.ok) return [];
  return compiled.problems.map((problem) => ({
    // The text shows the position.
    message: problem.message.replace(/ at position \d+$/, '') + formulaHint(problem, bareNames, isBeforeScore),
    at: problem.position,
  }));
}

/** Checks flows with the engine's code. Only the server knows whether records exist. */
globalThis.addEventListener('message', ({ data }: MessageEvent<FlowRequest>) => {
  const { id, config, customFields, formula } = data;
  const references = { ...openReferences, customFieldKeys: new Set(customFields) };
  const { errors, warnings } = validateFlow(config, references, { use: 'publish' });
  const answer: FlowAnswer = {
    id,
    findings: [
      ...errors.map(({ class: _, ...error }) => ({ ...error, severity: 'error' as const })),
      ...warnings.map(({ nearest: _, ...warning }) => ({ ...warning, severity: 'warning' as const })),
    ],
    formula: formula === undefined ? [] : formulaFindings(formula),
    functions: functionNames(),
  };
  globalThis.postMessage(answer);
});
