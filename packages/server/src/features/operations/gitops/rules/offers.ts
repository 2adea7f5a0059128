import type { KindRules } from './kind-rules.ts';

const fields = ['mandatoryReason', 'mandatoryExpiresAt', 'mandatoryApprovedBy'] as const;

const anyId = '00000000-0000-7000-8000-000000000000';

/**
 * Mandatory offers (docs/design/api-settled.md 5): the approver is named by email, and an expired mandate counts as
 * none, so that last month's files can be applied.
 */
export const offerRules: KindRules = {
  toFile(body, record, { now, emails }) {
    const expires = typeof record.mandatoryExpiresAt === 'string' ? Date.parse(record.mandatoryExpiresAt) : Number.NaN;
    if (record.mandatory !== true || expires <= now.getTime()) {
      const rest = Object.entries(body).filter(([name]) => !fields.some((field) => field === name));
      return { ...Object.fromEntries(rest), mandatory: false };
    }
    const approver = record.mandatoryApprovedBy;
    if (typeof approver !== 'string') return body;
    return { ...body, mandatoryApprovedBy: emails.get(approver) ?? approver };
  },
  normalise(body) {
    if (body.mandatory === true) return body;
    return Object.fromEntries(Object.entries(body).filter(([name]) => !fields.some((field) => field === name)));
  },
  // An email has no id before the users are looked up.
  toCreate: (values) =>
    typeof values.mandatoryApprovedBy === 'string' && values.mandatoryApprovedBy.includes('@')
      ? { ...values, mandatoryApprovedBy: anyId }
      : values,
  toValues(values, { emails }) {
    const approver = values.mandatoryApprovedBy;
    if (typeof approver !== 'string' || !approver.includes('@')) return { values };
    const key = approver.normalize('NFC').toLowerCase();
    const found = [...emails].find(([, email]) => email.normalize('NFC').toLowerCase() === key);
    if (found === undefined)
      return { problem: { pointer: '/mandatoryApprovedBy', message: 'must be the email address of a user' } };
    return { values: { ...values, mandatoryApprovedBy: found[0] } };
  },
};
