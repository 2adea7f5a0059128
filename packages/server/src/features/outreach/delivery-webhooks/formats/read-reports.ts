import { AppError } from '../../../../platform/app-error.ts';
import type { Reports } from './format.ts';
import { readSendgrid } from './sendgrid.ts';
import { readSes } from './ses.ts';
import { readStandard } from './standard.ts';
import { type FormValues, readTwilio } from './twilio.ts';

/** A body, parsed. */
export type ParsedBody =
  | { readonly kind: 'form'; readonly form: FormValues }
  | { readonly kind: 'json'; readonly value: unknown };

/** Reads the events of a body. `hint` is the format to try first. Throws 400 for a format that is not known. */
export function readReports(body: ParsedBody, hint: string | undefined): Reports {
  const reports = body.kind === 'form' ? readTwilio(body.form) : readJson(body.value, hint);
  if (reports !== null) return reports;
  const message = 'has none of the known formats: standard, ses, sendgrid, twilio';
  throw new AppError('validation_failed', { detail: `body ${message}`, errors: [{ path: 'body', message }] });
}

function readJson(value: unknown, hint: string | undefined): Reports | null {
  const formats = hint === 'sendgrid' ? [readSendgrid, readSes] : [readSes, readSendgrid];
  for (const read of [...formats, readStandard]) {
    const reports = read(value);
    if (reports !== null) return reports;
  }
  return null;
}
