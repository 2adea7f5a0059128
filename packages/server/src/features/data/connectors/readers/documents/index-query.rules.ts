import type { FilterValue, SourceFilter } from './source-filter.rules.ts';

// The query language of Elasticsearch and OpenSearch.

type Query = Readonly<Record<string, unknown>>;

const not = (query: Query): Query => ({ bool: { must_not: [query] } });
const any = (queries: readonly Query[]): Query => ({ bool: { should: queries, minimum_should_match: 1 } });
const exists = (field: string): Query => ({ exists: { field } });

/** A term can't be null: a null field doesn't exist. */
const equals = (field: string, value: FilterValue): Query =>
  value === null ? not(exists(field)) : { term: { [field]: { value } } };

/** Returns a filter as a query. Null: all documents. */
export function indexQuery(filter: SourceFilter | null): Query {
  if (filter === null) return { match_all: {} };
  switch (filter.kind) {
    case 'and':
      return { bool: { filter: filter.filters.map(indexQuery) } };
    case 'or':
      return any(filter.filters.map(indexQuery));
    case 'exists':
      return filter.exists ? exists(filter.field) : not(exists(filter.field));
    case 'in': {
      const values = filter.values.filter((value) => value !== null);
      const terms: Query = { terms: { [filter.field]: values } };
      return values.length < filter.values.length ? any([terms, equals(filter.field, null)]) : terms;
    }
    case 'compare': {
      const { field, by, value } = filter;
      if (by === 'eq') return equals(field, value);
      return by === 'ne' ? not(equals(field, value)) : { range: { [field]: { [by]: value } } };
    }
  }
}
