import type { Operation } from '@arbiter/contract/core/operation';
import { listTexts } from '../../messages/lists/lists.ts';
import type { SpecOptions } from '../editing/field-spec.ts';

/** Bulk changes that a list offers. */
export interface BulkChanges {
  readonly operations: {
    readonly list: Operation;
    readonly get: Operation;
    readonly updateById: Operation;
    readonly deleteById: Operation;
  };
  /** Properties to set, in the order of their buttons, with labels of their choices. */
  readonly fields: readonly { readonly name: string; readonly optionLabels?: Readonly<Record<string, string>> }[];
  readonly spec?: SpecOptions;
}

/** The status property of catalogue lists. */
export const statusField = { name: 'status', optionLabels: listTexts.statuses };
