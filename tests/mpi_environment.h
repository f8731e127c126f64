/* The environment in which mpirun starts jobs also as root and in a bare container, as text for the shell. */
#ifndef MPI_ENVIRONMENT_H
#define MPI_ENVIRONMENT_H

/* Root is refused otherwise; more ranks than cores are fine here; there may be no ssh, and no leave to read
 * another process's memory. */
#define MPI_ENVIRONMENT                                                                                      \
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=/bin/false "           \
    "OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none "                             \
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none"

#endif
