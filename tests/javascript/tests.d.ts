// For the type checker: what tests put on the window, and types that are looser where a test knows what is there.

interface Window {
  axe: any;
  breaches: any[];
  canary: any;
  chosen: number[];
  isRepainted: boolean;
  jumps: string[];
  painted: any;
}

/** A test knows the kind of an element that it names. */
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
