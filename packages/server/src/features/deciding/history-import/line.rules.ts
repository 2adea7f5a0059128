import { ImportLine, largestImportLine } from '@arbiter/contract';
import { parseJsonBody } from '../../../http/input/json-body.ts';
import { createChecks } from '../../../http/input/validation.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import type { RawLine } from '../../../platform/lines.ts';

/** What a line tells, after defaults. */
export interface ImportedEvent {
  readonly line: number;
  readonly key: string;
  readonly customerId: string;
  readonly outcome: string;
  readonly offerId: string | null;
  readonly creativeId: string | null;
  readonly channelId: string | null;
  readonly placementId: string | null;
  readonly campaignId: string | null;
  /** Epoch ms. */
  readonly at: number;
  readonly direction: 'inbound' | 'outbound' | null;
  readonly conversionValue: number | null;
  readonly currency: string | null;
  readonly context: string | null;
}

/** Why a line was refused. */
export interface LineError {
  readonly line: number;
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Reads one line; `now` in epoch ms. */
export type ReadLine = (line: RawLine, now: number) => ImportedEvent | LineError;

const contextBytes = 8 * 1024;

/** Compiles what a line must be. */
export function createLineReader(): ReadLine {
  const check = createChecks().compile(ImportLine, 'body');
  return (line, now) => {
    try {
      return read(line, now, check);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const [first] = error.errors;
      return {
        line: line.number,
        path: first?.path ?? '',
        code: error.code,
        message: first?.message ?? error.detail ?? 'must be an import line',
      };
    }
  };
}

export const isLineError = (read: ImportedEvent | LineError): read is LineError => 'message' in read;

function read({ number, bytes }: RawLine, now: number, check: ReturnType<ReturnType<typeof createChecks>['compile']>) {
  if (bytes === null) throw invalid('', `must be at most ${largestImportLine} bytes`);
  const value = parseJsonBody(bytes);
  check(value, bytes.length);
  // The check has just said so.
  const line = value as ImportLine;
  if (line.customerId === 'anonymous') throw invalid('/customerId', 'must be a customer ID');
  if (line.offerId == null && line.creativeId == null)
    throw invalid('/offerId', 'is required unless creativeId is set');
  const at = Date.parse(line.timestamp);
  if (Number.isNaN(at)) throw invalid('/timestamp', 'must be an instant');
  if (at < 0 || at > now) throw invalid('/timestamp', 'must be between 1970 and now');
  const context = line.context == null ? null : JSON.stringify(line.context);
  if (context !== null && Buffer.byteLength(context) > contextBytes) throw invalid('/context', 'must be at most 8 KB');
  const event: ImportedEvent = {
    line: number,
    key: line.key,
    customerId: line.customerId,
    outcome: line.outcome,
    offerId: lower(line.offerId),
    creativeId: lower(line.creativeId),
    channelId: lower(line.channelId),
    placementId: lower(line.placementId),
    campaignId: lower(line.campaignId),
    at,
    direction: line.direction ?? null,
    conversionValue: line.conversionValue ?? null,
    currency: line.currency ?? null,
    context,
  };
  return event;
}

const lower = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null;
