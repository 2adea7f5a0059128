import type { Infer } from '@arbiter/contract';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import type { FolderObject } from '../../gitops/index.ts';

/** A record of a folder with the body that would create it. */
export interface FolderBody<Body> extends Pick<FolderObject, 'id' | 'path' | 'values'> {
  readonly body: Body;
}

/** Returns the records of a type. Their files were checked, so a body that isn't one is a fault of ours. */
export function bodiesOf<Schema extends TSchema>(
  objects: readonly FolderObject[],
  type: string,
  schema: Schema,
): FolderBody<Infer<Schema>>[] {
  return objects.flatMap(({ type: own, id, path, values, create }) => {
    if (own !== type) return [];
    const body: unknown = create;
    if (!Value.Check(schema, body)) throw new Error(`${path} gives no body of ${type}`);
    return [{ id, path, values, body: body as Infer<Schema> }];
  });
}
