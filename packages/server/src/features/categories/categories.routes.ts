import type { categoryOperations, subCategoryOperations } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { type Handlers, reply } from '../../http/handler.ts';
import { getRecord, type ListOrder, listRecords, sameId } from '../records/index.ts';
import {
  changeCategory,
  changeSubCategory,
  createCategory,
  createSubCategory,
  deleteCategory,
  deleteSubCategory,
  showCategories,
  showSubCategories,
} from './categories.service.ts';
import { type CategoryRow, categorySpec, type SubCategoryRow, subCategorySpec } from './categories.store.ts';

const order: ListOrder = {
  keys: [
    { column: 'ordinal', kind: 'integer', direction: 'asc' },
    { column: 'name', kind: 'text', direction: 'asc' },
  ],
  ids: 'asc',
};
const page = { order, defaultLimit: 25, maximumLimit: 200 };

export function categoryRoutes(): Handlers<typeof categoryOperations> {
  const show = async (tx: Tx, row: CategoryRow) => (await showCategories(tx, [row]))[0]!;
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, categorySpec, {
        ...page,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        includeDeleted: query.includeDeleted,
        filters: { status: query.status },
      });
      return reply(200, { data: await showCategories(tx, rows), pagination });
    },
    async create(tx, { body }) {
      return reply(201, await show(tx, await createCategory(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, await show(tx, await getRecord(tx, categorySpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeCategory(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeCategory(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deleteCategory(tx, query.id, 'query');
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deleteCategory(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}

export function subCategoryRoutes(): Handlers<typeof subCategoryOperations> {
  const show = async (tx: Tx, row: SubCategoryRow) => (await showSubCategories(tx, [row]))[0]!;
  return {
    async list(tx, { query }) {
      const { rows, pagination } = await listRecords(tx, subCategorySpec, {
        ...page,
        limit: query.limit,
        cursor: query.cursor,
        search: query.search ?? query.q,
        includeDeleted: query.includeDeleted,
        filters: { status: query.status, categoryId: query.categoryId },
      });
      return reply(200, { data: await showSubCategories(tx, rows), pagination });
    },
    async create(tx, { body }) {
      return reply(201, await show(tx, await createSubCategory(tx, body)));
    },
    async get(tx, { params }) {
      return reply(200, await show(tx, await getRecord(tx, subCategorySpec, params.id)));
    },
    async update(tx, { body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeSubCategory(tx, id, rowVersion, changes)));
    },
    async updateById(tx, { params, body: { id, rowVersion, ...changes } }) {
      return reply(200, await show(tx, await changeSubCategory(tx, sameId(params.id, id), rowVersion, changes)));
    },
    async delete(tx, { query }) {
      await deleteSubCategory(tx, query.id, 'query');
      return reply(204, null);
    },
    async deleteById(tx, { params }) {
      await deleteSubCategory(tx, params.id, 'path');
      return reply(204, null);
    },
  };
}
