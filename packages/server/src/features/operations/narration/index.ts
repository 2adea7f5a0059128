export { countWords } from './check/check-sentence.ts';
export { checkSentences, maxWordsOf } from './check/check-sentences.ts';
export { type Fact, type FactDraft, type FactKind, numberFacts, type Sentence } from './fact.ts';
export { llmWriter } from './llm-writer.ts';
export { quoted, shownName } from './names.ts';
export { type NarrativeWriter, templateWriter, type WrittenNarrative } from './narrative-writer.ts';
