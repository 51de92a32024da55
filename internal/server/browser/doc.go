// Package browser holds tests only: they drive the real page, in Debian's chromium, on a real server.
//
// $EKE_CHROMIUM names another browser. $EKE_SCREENSHOTS names a folder for pictures of what was seen: look at them, a test
// cannot tell what is ugly.
package browser
