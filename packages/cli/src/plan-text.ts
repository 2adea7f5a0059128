import type { PolicyChange, PolicyDrift, PolicyPlan } from '@arbiter/contract';

/** Plans as people read them (docs/design/api-settled.md 30). */

const marks: Readonly<Record<PolicyChange['action'], string>> = {
  create: '+ create',
  update: '~ update',
  replace: '-/+ replace',
  delete: '- delete',
  await: '~ awaiting approval',
};

/** A value on one line; long texts are cut. */
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

/** Lines of a plan: one block per object, what is not in the files, warnings, and the counts. */
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

/** Lines of a drift: as a plan, with who changed what. */
export function driftLines({ applied, changes }: PolicyDrift): string[] {
  if (applied === null) return ['No files were applied yet.'];
  const blocks = changes.flatMap(({ by, ...change }) => [
    ...changeLines(change),
    ...by.map(({ userName, userId, action, timestamp }) => `    by ${userName} (${userId}): ${action} at ${timestamp}`),
  ]);
  const what = changes.length === 1 ? '1 object is' : `${changes.length} objects are`;
  return [...blocks, `Drift: ${what} not as applied at ${applied.at} by ${applied.userName}.`];
}
