// Declarations for the type checker: properties that tests set on the window, and looser types for tests.

interface Window {
  axe: any;
  breaches: any[];
  canary: any;
  chosen: number[];
  isRepainted: boolean;
  jumps: string[];
  painted: any;
  shifts: any[];
  tops: number[];
}

/** Tests know the types of the elements that they select. */
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}

/** The functions of a promise are called with or without a value. */
declare module "net" {
  interface Server {
    listen(port: number, ready: (value?: any) => void): this;
    listen(port: number, host: string, ready: (value?: any) => void): this;
  }
}
