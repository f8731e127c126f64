/* The charts of the report page. */
#ifndef RINGLET_APP_PAGE_CHARTS_H
#define RINGLET_APP_PAGE_CHARTS_H

#include "report/page.h"

/* Writes all of them into the page; 0 when out of memory. */
int page_charts(FILE *file, const page *p);

#endif
