// Custom events of the pages, for the type checker.

interface DocumentEventMap {
  /** The list of results has changed. */
  "tributary:list": CustomEvent<{ search: any; isFinal: boolean }>;
  /** Results were selected for an answer. */
  "tributary:selection": CustomEvent<{ ids: number[] }>;
}
