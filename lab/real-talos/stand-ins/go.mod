module stand-ins

go 1.26
