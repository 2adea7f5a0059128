import { schemaTitles } from '../../messages/catalogue/schemas/schema-titles.ts';
import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { addresses } from '../../route/addresses.ts';
import { feature } from '../../route/feature.ts';

const fieldForm = () => import('./form/field-form.tsx').then((module) => module.FieldForm);
const joinForm = () => import('./form/join-form.tsx').then((module) => module.JoinForm);

/** Loads the import of a file, for pages that show it as one of their steps. */
export const loadFileImport = () => import('./import/file-import.tsx').then((module) => module.FileImport);

export const schemas = feature({
  name: 'schemas',
  screens: [
    ...recordScreens(recordKinds.schema, {
      list: () => import('./schema-list.tsx').then((module) => module.SchemaList),
      record: () => import('./schema-page.tsx').then((module) => module.SchemaPage),
      form: () => import('./form/schema-form.tsx').then((module) => module.SchemaForm),
    }),
    {
      path: '/data/schemas/import',
      title: schemaTitles.importFile,
      load: () => import('./import/import-page.tsx').then((module) => module.ImportPage),
    },
    { path: '/data/schemas/$id/fields/new', title: schemaTitles.newField, load: fieldForm },
    { path: '/data/schemas/$id/fields/$field', title: schemaTitles.editField, load: fieldForm },
    { path: '/data/schemas/joins/new', title: schemaTitles.newJoin, load: joinForm },
    { path: '/data/schemas/joins/$id/edit', title: schemaTitles.editJoin, load: joinForm },
  ],
  commands: [
    createCommand(recordKinds.schema),
    {
      id: 'schemas.import',
      title: schemaTitles.importFile,
      words: schemaTitles.importWords,
      act: { open: addresses.importRows() },
    },
  ],
});
