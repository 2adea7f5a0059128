import { resets as databaseResets } from '../db/tables.ts';
import type { Resets } from '../feature.ts';
import { resets as httpResets } from '../http/tables.ts';
import { resets as jobResets } from '../jobs/tables.ts';
import { features } from './features.ts';

/** What features and the layers below them do with their tables when a playground is reset. */
export const allResets: readonly Resets[] = [
  ...features.map(({ resets }) => resets),
  databaseResets,
  httpResets,
  jobResets,
];

/** What a new tenant gets, in its own transaction. */
export const onTenantCreated = features.flatMap((feature) => feature.onTenantCreated);
