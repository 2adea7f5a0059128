import type { ReportColumn, ReportParamName, ReportParams, ReportRow, ReportSourceKey } from '@arbiter/contract';
import type { Tx } from '../../../../db/tx.ts';
import type { Archive } from '../../../deciding/archived-months/index.ts';
import type { ReportChart, ReportPeriod } from '../../report-rendering/index.ts';
import type { DayFrame } from '../frame.rules.ts';

/** What sources need from the process. */
export interface SourcePorts {
  /** Destinations of the tenant that this process leaves alone for a while because they failed. */
  readonly openBreakers: (tenantId: string) => number;
  /** Reads history of archived months. */
  readonly archive: Archive;
}

/** The request to a source. */
export interface SourceQuery {
  readonly params: ReportParams;
  readonly limit: number;
  readonly frame: DayFrame;
}

/** What a source says. */
export interface SourceResult {
  readonly rows: readonly ReportRow[];
  /** Notes for reading the rows. */
  readonly notes: readonly string[];
}

/** A source, described once: the list of sources, the checks of parameters and the figures are derived from it. */
export interface Source {
  readonly key: ReportSourceKey;
  readonly label: string;
  readonly description: string;
  readonly params: readonly ReportParamName[];
  readonly required?: readonly ReportParamName[];
  /** Values of `groupBy`, the usual one first. */
  readonly groupings?: readonly string[];
  readonly needsTraces?: true;
  readonly columns: (params: ReportParams) => readonly ReportColumn[];
  readonly chart: (params: ReportParams) => ReportChart | null;
  /** Days that are covered, where they aren't simply those of the frame. */
  readonly period?: (frame: DayFrame) => ReportPeriod;
  readonly read: (tx: Tx, asked: SourceQuery, ports: SourcePorts) => Promise<SourceResult>;
}

export const column = (key: string, label: string, type: ReportColumn['type']): ReportColumn => ({ key, label, type });

/** Rows without notes. */
export const sourceResult = (rows: readonly ReportRow[], notes: readonly string[] = []): SourceResult => ({
  rows,
  notes,
});
