import type { modelImportOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { configVersionHeader, type Handlers, reply } from '../../../http/handler.ts';
import { importModel, openImport } from './import.service.ts';
import { readImportForm } from './import-form.ts';
import { showModels } from './models.service.ts';
import type { ReadModelFile } from './prepare-import.ts';

/** Ports of the import. */
export interface ImportPorts {
  readonly readModelFile: ReadModelFile;
}

export function modelImportRoutes({
  database,
  readModelFile,
}: ImportPorts & {
  readonly database: Database;
}): Handlers<typeof modelImportOperations> {
  return {
    async import({ tenantId, actor, requestId, body }) {
      const isForm = 'fileType' in body && 'parts' in body && body.parts !== null;
      const sent = isForm ? await readImportForm(body.parts) : body;
      if ('fileType' in sent) throw new Error('a form has parts');
      const opened = await openImport(readModelFile, sent, isForm ? 'file' : 'model');
      let version = 0;
      const model = await database.withTenant(
        tenantId,
        actor,
        async (tx) => (await showModels(tx, [await importModel(tx, sent, opened)], 'list'))[0]!,
        {
          requestId,
          onCatalogueVersion: (changed) => {
            version = changed;
          },
        },
      );
      return reply(201, model, configVersionHeader(version));
    },
  };
}
