int not_in_the_book;
