import type { AuditAction, ContentStatus } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isSamePerson, personBehind } from '../../identity/credentials/index.ts';
import { lockRecord, type RecordChange, updateRecord } from '../catalogue-records/index.ts';
import { notIn } from './content.rules.ts';
import { assertEnabled, unreviewed } from './content.service.ts';
import { type ContentRecord, contentSpec, insertVersion } from './content.store.ts';
import { mergeWithTemplates } from './content.templates.ts';
import { shownParts } from './shown.rules.ts';

/**
 * Runs a workflow step: locks the item's row, checks its status and changes it in one transaction. If two people act at
 * once, the second gets 409. Creates no version.
 */
async function step(
  tx: Tx,
  id: string,
  from: ContentStatus,
  action: AuditAction,
  words: string,
  change: (current: ContentRecord) => RecordChange<ContentRecord> | Promise<RecordChange<ContentRecord>>,
): Promise<ContentRecord> {
  await assertEnabled(tx);
  return updateRecord(tx, contentSpec, id, {
    action,
    keepsVersion: true,
    change(current) {
      if (current.status !== from) throw notIn(current.status, words);
      return change(current);
    },
  });
}

/** draft -> in_review. The submitter can't approve. */
export async function submitContent(tx: Tx, id: string): Promise<ContentRecord> {
  const person = await personBehind(tx);
  return step(tx, id, 'draft', 'submit', 'be submitted', () => ({
    ...unreviewed,
    status: 'in_review',
    submittedBy: person,
    submittedAt: tx.now,
    rejectionReason: null,
  }));
}

/** in_review -> approved, by someone other than the submitter (docs/design/quality.md E3); otherwise throws 403. */
export async function approveContent(tx: Tx, id: string): Promise<ContentRecord> {
  const person = await personBehind(tx);
  return step(tx, id, 'in_review', 'approve', 'be approved', async ({ submittedBy, submittedAt }) => {
    if (submittedBy !== null && (await isSamePerson(tx, submittedBy, submittedAt ?? tx.now))) {
      throw new AppError('self_approval_forbidden', {
        detail: 'Another user must approve. People who have owned the same API key or client count as one.',
      });
    }
    return { status: 'approved', approvedBy: person, approvedAt: tx.now };
  });
}

/** in_review -> draft. The reason stays until the item is submitted again. */
export async function rejectContent(tx: Tx, id: string, reason: string | null): Promise<ContentRecord> {
  return step(tx, id, 'in_review', 'reject', 'be rejected', () => ({ ...unreviewed, rejectionReason: reason }));
}

/** approved -> published: freezes the item with its templates as a new version, which decisions show from then on. */
export async function publishContent(tx: Tx, id: string): Promise<ContentRecord> {
  await assertEnabled(tx);
  const current = await lockRecord(tx, contentSpec, id);
  if (current.status !== 'approved') throw notIn(current.status, 'be published');
  // Merge once: others may publish templates in the meantime.
  const { parts, from } = await mergeWithTemplates(tx, current);
  const shown = await shownParts(parts);
  const row = await updateRecord(tx, contentSpec, current.id, {
    action: 'publish',
    change: () => ({
      status: 'published' as const,
      publishedAt: tx.now,
      publishedVersion: current.version + 1,
      publishedFrom: from,
    }),
  });
  await insertVersion(tx, row, { kind: 'publish', changeNote: null, merged: parts, shown });
  return row;
}
