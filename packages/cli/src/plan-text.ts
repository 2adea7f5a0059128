import type { PolicyChange, PolicyDrift, PolicyPlan } from '@arbiter/contract';

/** Plans as text (docs/design/api-settled.md, section 30). */

const marks: Readonly<Record<PolicyChange['action'], string>> = {
  create: '+ create',
  update: '~ update',
  replace: '-/+ replace',
  delete: '- delete',
  await: '~ awaiting approval',
};

/** Formats a value on one line and truncates long values. */
function valueText(change: PolicyChange['fields'][number], side: 'before' | 'after'): string {
  if (!(side in change)) return '(none)';
  const text = JSON.stringify(change[side]);
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}... (${text.length} characters)`;
}

const longestValue = 120;

const refText = (ref: PolicyChange['ref']): string => JSON.stringify(ref);

function changeLines({ action, type, ref, path, fields }: PolicyChange): string[] {
  return [
    `${marks[action]} ${type} ${refText(ref)} (${path})`,
    ...fields.map((field) => `    ${field.path}: ${valueText(field, 'before')} -> ${valueText(field, 'after')}`),
  ];
}

/** Formats a plan: one block per object, objects missing from the files, warnings, and the counts. */
export function planLines({ changes, notInFiles, warnings, summary }: PolicyPlan): string[] {
  const also = [
    ...(summary.replace > 0 ? [`${summary.replace} to replace`] : []),
    ...(summary.await > 0 ? [`${summary.await} awaiting approval`] : []),
  ];
  const counts = [`${summary.create} to create`, `${summary.update} to update`, `${summary.delete} to delete`, ...also];
  return [
    ...changes.flatMap(changeLines),
    ...notInFiles.map(({ type, ref, path }) => `! not in files ${type} ${refText(ref)} (${path})`),
    ...warnings.map(({ path, message }) => `warning: ${path} ${message}`),
    `Plan: ${counts.join(', ')}.`,
  ];
}

/** Formats a drift like a plan, with who changed what. */
export function driftLines({ applied, changes }: PolicyDrift): string[] {
  if (applied === null) return ['No files have been applied yet. Run "arbiter apply <folder>" first.'];
  const blocks = changes.flatMap(({ by, ...change }) => [
    ...changeLines(change),
    ...by.map(({ userName, userId, action, timestamp }) => `    by ${userName} (${userId}): ${action} at ${timestamp}`),
  ]);
  const objects = changes.length === 1 ? '1 object has' : `${changes.length} objects have`;
  return [...blocks, `Drift: ${objects} changed since ${applied.userName} applied the files at ${applied.at}.`];
}
