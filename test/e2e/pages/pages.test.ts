import { testPages } from "./test-pages.ts"
import { windows } from "./windows.ts"

// Every third page in one window. The pages of each site meet all windows.
testPages("pages for people, a part of them", (index, window) => index % (3 * windows.length) === 3 * window)
