import { testPages } from "./test-pages.ts"
import { windows } from "./windows.ts"

// Every second page in one window. The pages of each site meet all windows.
testPages("pages for people, a part of them", (index, window) => index % (2 * windows.length) === 2 * window)
