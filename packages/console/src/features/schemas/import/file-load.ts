import type { CsvAnalysis } from '@arbiter/contract/catalogue/schema-figures';

/** A file that was analyzed. */
export interface AnalyzedFile {
  readonly file: File;
  readonly analysis: CsvAnalysis;
}

/** Props of a page that loads an analyzed file. */
export interface FileLoadProps {
  readonly chosen: AnalyzedFile;
  readonly onAnother: () => void;
  readonly onDone: (schemaId: string) => void;
}
