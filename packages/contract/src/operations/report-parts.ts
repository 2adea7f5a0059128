import Type from 'typebox';
import { Id, Timestamp } from '../core/schemas.ts';

export const destinations = (description: string) =>
  Type.Array(Id('ID of a destination.'), { maxItems: 20, description });

export const times = {
  createdAt: Timestamp('When it was created.'),
  updatedAt: Timestamp('When it last changed.'),
};

export const common = { tag: 'Reports', auth: 'credential', loadClass: 'crud', transaction: 'tenant' } as const;
export const audited = (action: string, entityType: string) => [{ action, entityType }];
