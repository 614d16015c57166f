import type { WindowName } from "../../test/e2e/pages/windows.ts"

/** A picture of `docs/pages.md`. */
export interface Picture {
  /** The name of the page in `test/e2e/pages/site-pages.ts`. */
  readonly page: string
  readonly window: WindowName
  readonly caption: string
}

const picture = (page: string, window: WindowName, caption: string): Picture => ({ page, window, caption })

/** The pictures of each section, in the order of the page. */
export const sections: Readonly<Record<string, ReadonlyArray<Picture>>> = {
  "The shop's page": [
    picture("shop-check", "phone-en-light", "Check a slip"),
    picture("shop-check", "phone-th-dark", "Check a slip, in Thai"),
    picture("shop-accepted", "phone-en-light", "Accepted"),
    picture("shop-duplicate", "phone-th-light", "Already used, in Thai"),
    picture("shop-wrong-amount", "phone-en-dark", "Wrong amount"),
    picture("shop-pending", "phone-en-light", "Not confirmed yet"),
    picture("shop-history", "phone-th-light", "History, in Thai"),
    picture("shop-record", "phone-en-dark", "One check"),
    picture("shop-check", "wide-en-light", "Check a slip, on a computer"),
    picture("shop-usage", "wide-en-dark", "Use of the quota"),
    picture("shop-keys", "wide-th-light", "Keys and devices, in Thai"),
    picture("shop-sign-in", "phone-en-light", "Sign in")
  ],
  "The operators' console": [
    picture("console-overview", "wide-en-light", "Overview"),
    picture("console-overview", "wide-th-dark", "Overview, in Thai"),
    picture("console-overview", "phone-en-dark", "Overview, on a phone"),
    picture("console-slip", "wide-en-light", "A slip: what each shop received"),
    picture("console-slip", "phone-th-light", "A slip, in Thai, on a phone"),
    picture("console-found-tail", "wide-en-dark", "A search for the end of a reference"),
    picture("console-verifications", "wide-en-light", "Verifications"),
    picture("console-verifications", "phone-th-dark", "Verifications, in Thai, on a phone"),
    picture("console-job", "wide-en-dark", "A job and its callback"),
    picture("console-callbacks", "wide-th-light", "Callbacks, in Thai"),
    picture("console-branch", "wide-en-light", "A branch"),
    picture("console-sign-in-link", "phone-en-light", "A link that signs a device in"),
    picture("console-audit", "wide-en-dark", "Audit"),
    picture("console-operators", "wide-th-light", "Operators, in Thai"),
    picture("console-request", "phone-en-light", "A request")
  ],
  "The documentation": [
    picture("docs", "wide-en-light", "The first page"),
    picture("docs-th", "phone-th-light", "The first page in Thai"),
    picture("docs-reference-verification", "wide-en-dark", "An operation of the API"),
    picture("docs-errors", "phone-en-dark", "Errors")
  ]
}

export const pictures: ReadonlyArray<Picture> = Object.values(sections).flat()

/** The file of a picture in `docs/images/pages/`. */
export const fileOf = (page: string, window: WindowName): string => `${page}-${window}.webp`
